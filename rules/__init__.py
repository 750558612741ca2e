"""One file per rule; each rule asks analyses and yields findings."""
