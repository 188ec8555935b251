// The page To-do calls the same function, so tool and page can't disagree.
return functions.call('todo_items', args)
