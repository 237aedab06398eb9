// Loaded before each test file. Node 20's test runner has an async hook, by which it finds the test that an uncaught error
// comes from. The hook is called for each promise, and takes half of the time of tests that await much. Without it, such an
// error fails its file instead of its test, and its text stands in the output.
import hooks from 'node:async_hooks';

const { createHook } = hooks;

hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  hook.enable = () => hook;
  return hook;
};
