"""The language layer: rules and word lists over what people write, one folder a language. Pure."""
