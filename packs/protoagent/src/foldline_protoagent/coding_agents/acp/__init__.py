"""What speaks ACP. It is heavy, and stands apart for that: whoever looks for tools doesn't import it."""
