"""What pages of the web say: for whoever runs tools that read them. It takes the extra `pages`."""
