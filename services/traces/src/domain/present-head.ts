import type { Identity } from '@assay/contracts/define';
import type { StoredHead } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import type { Prices } from './prices.ts';
import { settledFieldsOf } from './settled-fields.ts';
import type { StoredSpans } from './stored-spans.ts';

/**
 * Returns the head of a trace as the spans say that came by now. Until a trace has settled, its stored head has
 * neither tags, metadata, session nor tokens; a testcase or record made of it then would never get them.
 */
export const createPresentHead = ({
  read,
  partsOf,
  prices,
}: Pick<Dependencies, 'read'> & Pick<StoredSpans, 'partsOf'> & { prices: Prices }) =>
  async function presentHead(identity: Identity, head: StoredHead): Promise<StoredHead> {
    if (head.isSettled) return head;
    const parts = await partsOf(identity, head.traceId);
    const summary = await read({ name: 'summarize', given: { parts } });
    const cost = await prices.costOf(identity, summary);
    return { ...head, ...settledFieldsOf(summary, { cost, isWhole: true, isAgain: false }) };
  };
