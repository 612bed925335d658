import { builtinEnvironments, type Environment } from 'vitest/runtime';
import { endSharing } from './sharing.ts';

/** Vitest's own environment for Node. At the end of its process it stops what the files share. */
const processEnvironment: Environment = {
  name: 'process',
  viteEnvironment: 'ssr',
  setup: async (global, options) => {
    const node = await builtinEnvironments.node.setup(global, options);
    return {
      teardown: async () => {
        await endSharing();
        await node.teardown(global);
      },
    };
  },
};

export default processEnvironment;
