import { type List, queryOf } from '@assay/contracts/define';
import { listKey, sealCursor } from '@assay/runtime/http/cursor';
import { ownKeys } from '@assay/runtime/signature';
import type { Setting } from './setting.ts';

/** Makes the cursor that a client has at a position of a list, without the walk that leads there. */
export async function sealedCursor(
  setting: Setting,
  {
    operation,
    list,
    params,
    query,
    after,
  }: {
    /** `<service>.<operation>`. */
    operation: string;
    list: List;
    params: Record<string, string>;
    query: Record<string, string>;
    after: string;
  },
): Promise<string> {
  const { organizationId } = await setting.installation();
  const { limit: _limit, cursor: _cursor, ...filters } = queryOf(list)!.parse(query);
  const keys = ownKeys(setting.keysOf(operation.split('.')[0]!));
  return sealCursor(keys, listKey({ operation, organizationId, params, filters }), after);
}
