"""The rules of TypeScript and JavaScript."""
