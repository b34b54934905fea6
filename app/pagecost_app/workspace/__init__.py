"""What a person set, and how it is kept: the parts of a workspace, steps back and forth, project files, kept answers.

Nothing here knows a widget: a page hands over its `Part`, and is told by `restore` what to show.
"""
