"""The query language: `from <type> | where … | related … | order … | limit … | aggregation`."""
