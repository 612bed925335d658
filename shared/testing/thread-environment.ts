import { builtinEnvironments, type Environment } from 'vitest/runtime';
import { endThread } from './thread.ts';

/** Vitest's own environment for Node. At the end of its thread it stops what the files share. */
const threadEnvironment: Environment = {
  name: 'thread',
  viteEnvironment: 'ssr',
  setup: async (global, options) => {
    const node = await builtinEnvironments.node.setup(global, options);
    return {
      teardown: async () => {
        await endThread();
        await node.teardown(global);
      },
    };
  },
};

export default threadEnvironment;
