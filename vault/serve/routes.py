"""The paths of the HTTP API, each the operation it is, and the document that describes them."""

from dataclasses import dataclass
from typing import Any

from vault.serve.operations import BY_NAME, Operation
from vault.serve.schemas import ERROR, Schemas
from vault.version import __version__

Json = dict[str, Any]
API = "/api/knowledge"


@dataclass(frozen=True, slots=True)
class Path:
    """A method and path, and its operation; `inside` is the parameter that the path itself gives."""

    method: str
    path: str
    tool: str
    inside: str | None = None

    @property
    def operation(self) -> Operation:
        """What is done there."""
        return BY_NAME[self.tool]

    @property
    def reads(self) -> bool:
        """Whether nothing is changed there."""
        return self.method == "GET"

    @property
    def is_versioned(self) -> bool:
        """Whether what is answered is an entry at a version."""
        return self.tool in ("get_knowledge", "add_knowledge", "update_knowledge")

    @property
    def has_body(self) -> bool:
        """Whether parameters come as a JSON body and not in the query."""
        return self.method in ("POST", "PATCH")


PATHS = (
    Path("GET", f"{API}/search", "search_knowledge"),
    Path("GET", f"{API}/entries/{{id:path}}", "get_knowledge", "id"),
    Path("POST", f"{API}/entries", "add_knowledge"),
    Path("PATCH", f"{API}/entries/{{id:path}}", "update_knowledge", "id"),
    Path("DELETE", f"{API}/entries/{{id:path}}", "delete_knowledge", "id"),
    Path("POST", f"{API}/remember", "knowledge_remember"),
    Path("POST", f"{API}/hydrate", "knowledge_hydrate"),
    Path("GET", f"{API}/query", "knowledge_query"),
    Path("GET", f"{API}/history", "knowledge_history"),
    Path("GET", f"{API}/hygiene", "knowledge_hygiene_report"),
    Path("GET", f"{API}/navigation/tree", "knowledge_tree"),
    Path("GET", f"{API}/navigation/entities", "knowledge_list_entities"),
    Path("GET", f"{API}/navigation/entity", "knowledge_get_entity"),
    Path("GET", f"{API}/navigation/aspects", "knowledge_list_aspects"),
    Path("GET", f"{API}/navigation/groups", "knowledge_list_groups"),
    Path("GET", f"{API}/navigation/claims", "knowledge_list_claims"),
    Path("GET", f"{API}/navigation/attributes", "knowledge_list_attributes"),
)

_COMPONENTS = "#/components/schemas"


def document() -> Json:
    """The OpenAPI document."""
    paths: dict[str, Json] = {}
    answers = Schemas(_COMPONENTS)
    schemas: Json = {}
    for one in PATHS:
        shown = one.path.replace(":path", "")
        paths.setdefault(shown, {})[one.method.lower()] = _described(one, schemas, answers)
    return {
        "openapi": "3.1.0",
        "info": {"title": "firm-vault", "version": __version__, "description": "A vault of knowledge."},
        "paths": paths,
        "components": {
            "schemas": {"Error": ERROR, **schemas, **answers.named},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _described(one: Path, schemas: Json, answers: Schemas) -> Json:
    schema = one.operation.takes.model_json_schema(by_alias=True, ref_template=f"{_COMPONENTS}/{{model}}")
    schemas.update(schema.pop("$defs", {}))
    properties: Json = schema["properties"]
    required = set(schema.get("required", ()))
    parameters = [
        {
            "name": name,
            "in": "path" if name == one.inside else "query",
            "required": name == one.inside or name in required,
            "schema": about,
        }
        for name, about in properties.items()
        if name == one.inside or not one.has_body
    ]
    told: Json = {
        "operationId": f"{one.method.lower()}_{one.tool}",
        "summary": one.operation.title,
        "description": one.operation.about,
        "parameters": [*parameters, *_conditions(one)],
        "responses": {
            "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": answers.of(one.operation.answers)}},
                **({"headers": {"ETag": _ETAG}} if one.is_versioned else {}),
            },
            **({"304": {"description": "It is at that version still."}} if one.is_versioned and one.reads else {}),
            **{
                status: {
                    "description": why,
                    "content": {"application/json": {"schema": {"$ref": f"{_COMPONENTS}/Error"}}},
                }
                for status, why in _FAILURES.items()
            },
        },
    }
    if one.has_body:
        body = {**schema, "properties": {name: about for name, about in properties.items() if name != one.inside}}
        body["required"] = sorted(required - {one.inside})
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return told


def _conditions(one: Path) -> list[Json]:
    """The headers that make a request hang on the version of its entry."""
    if one.is_versioned and one.reads:
        return [{"name": "If-None-Match", "in": "header", "schema": {"type": "string"}, "description": "An ETag."}]
    if "version" in one.operation.takes.model_fields:
        about = "The ETag it is based on; in place of `version`."
        return [{"name": "If-Match", "in": "header", "schema": {"type": "string"}, "description": about}]
    return []


_ETAG = {"description": "The version of the entry.", "schema": {"type": "string"}}
_FAILURES = {
    "400": "A parameter it does not take.",
    "401": "Missing or unknown token.",
    "403": "Not permitted, not bound to that, or a person has to agree first.",
    "404": "Not found.",
    "409": "Ambiguous, or it already exists.",
    "412": "It is not at the version the change is based on.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "422": "What would be written is not valid; nothing was.",
    "429": "Too many calls.",
    "503": "Somebody else is writing.",
}
