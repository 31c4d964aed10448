"""The rules about more than one file: what each looks at, and finds."""
