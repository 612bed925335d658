import type { ReplyOf } from '@assay/client/operations';
import { parseByValue } from '@assay/json/parse';
import { useQuery } from '@tanstack/react-query';
import { send, urlOf } from '../../api/request.ts';
import { memberAt, rootOf, scanMembers, stringOf } from '../../parts/payload/scan.ts';

export type Span = ReplyOf<'GET', '/traces/:traceId/spans/:spanId'>;

/** A span as its bytes, so that the payload viewer shows every digit that came, and as a value. */
export interface LoadedSpan {
  span: Span;
  bytes: Uint8Array;
  /** The bytes of these two fields; undefined where nothing says them. */
  input: Uint8Array | undefined;
  output: Uint8Array | undefined;
}

/** Reads everything that was sent with a span. */
export const useSpan = (params: { traceId: string; spanId: string }) =>
  useQuery({
    queryKey: ['/traces/:traceId/spans/:spanId', params],
    queryFn: async ({ signal }): Promise<LoadedSpan> => {
      const response = await send(urlOf('/traces/:traceId/spans/:spanId', { params }), { signal });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        span: parseByValue(new TextDecoder().decode(bytes)) as Span,
        bytes,
        input: fieldIn(bytes, 'input'),
        output: fieldIn(bytes, 'output'),
      };
    },
    // A span may be many MiB.
    gcTime: 60_000,
  });

/** The bytes of a field of an object; undefined where it is null or missing. */
function fieldIn(bytes: Uint8Array, name: string): Uint8Array | undefined {
  const root = rootOf(bytes);
  const offsets = scanMembers(bytes, root);
  for (let index = 0; index < offsets.length; index += 1) {
    const { key, value } = memberAt(bytes, root, offsets, index);
    if (stringOf(bytes, key!).text !== name) continue;
    return value.kind === 'null' ? undefined : bytes.subarray(value.start, value.end);
  }
  return undefined;
}
