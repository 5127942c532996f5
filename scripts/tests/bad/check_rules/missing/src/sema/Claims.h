// What is proved (docs/spec/shapes.md, S1 and S7).
