"""Questions about a model, each answered once per kernel and cached."""
