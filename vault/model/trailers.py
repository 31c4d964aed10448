"""The trailers of a commit message that firm-vault writes and reads."""

#: Why a commit was made.
REASON = "Vault-Reason"
#: What a commit does: add, update, supersede, retract, delete, restore or move.
OP = "Vault-Op"
#: The idempotency key of a write.
KEY = "Vault-Key"
