import type { ItemOf, ListPath, ParamsOf, QueryOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';

/** As many items as a page has at most. */
const pageItems = 100;
/** As many items as are read: more than one can choose among. */
const allMax = 2000;

interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

interface ListQuestion<Path extends ListPath> {
  params?: ParamsOf<Path> | undefined;
  query?: QueryOf<'GET', Path> | undefined;
}

/** Reads a list page after page, to its end or past `itemsMax`; `isCut` says that there are more items. */
export async function readAll<Path extends ListPath>(
  path: Path,
  {
    params,
    query,
    itemsMax = Number.POSITIVE_INFINITY,
    signal,
  }: ListQuestion<Path> & { itemsMax?: number; signal: AbortSignal },
): Promise<{ data: ItemOf<Path>[]; isCut: boolean }> {
  const data: ItemOf<Path>[] = [];
  let cursor: string | null = null;
  do {
    const asked: object = {
      ...(query as object),
      limit: pageItems,
      ...(cursor ? { cursor } : {}),
    };
    const page: Page<ItemOf<Path>> = await (request(
      'GET',
      path as never,
      { params, query: asked, signal } as never,
    ) as Promise<Page<ItemOf<Path>>>);
    for (const item of page.data) data.push(item);
    cursor = page.nextCursor;
  } while (cursor !== null && data.length < itemsMax);
  return { data, isCut: cursor !== null };
}

interface AllOptions<Path extends ListPath> extends ListQuestion<Path> {
  /** Fewer are enough. */
  itemsMax?: number;
  isEnabled?: boolean;
}

/** Reads all items of a list that is short by its nature, such as the metrics of a project. */
export const useAll = <Path extends ListPath>(
  path: Path,
  { params, query, itemsMax = allMax, isEnabled = true }: AllOptions<Path> = {},
) =>
  useQuery({
    queryKey: [path, params ?? {}, { ...(query as object), all: itemsMax }],
    queryFn: ({ signal }) => readAll(path, { params, query, itemsMax, signal }),
    enabled: isEnabled,
  });
