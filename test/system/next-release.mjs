// Loaded before a service's program: its process has one migration more than the code, as the next
// release would.
import { register } from 'node:module';

const hooks = `
export async function load(url, context, next) {
  if (!/services.[a-z-]+.dist.migrations\\.js$/.test(url)) return next(url, context);
  const source = \`
    import { migrations as released } from '\${url}?released';
    const up = async (database) => {
      const projects = database.collection('projects');
      await projects.createIndex({ organizationId: 1, ofTheNextRelease: 1 });
      await projects.updateMany({ ofTheNextRelease: { $exists: false } }, { $set: { ofTheNextRelease: true } });
    };
    export const migrations = [...released, { name: '999-of-the-next-release', up }];
  \`;
  return { format: 'module', shortCircuit: true, source };
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
