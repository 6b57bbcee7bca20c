// What a process costs that does nothing.
