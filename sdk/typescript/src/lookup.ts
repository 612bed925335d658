import {
  choose as chooseNamed,
  findNamed as findNamedItem,
  LookupFailure,
  type NamedItem,
} from '@assay/client/named';
import { AssayError } from './failure.ts';

interface Search<Item> {
  items: readonly Item[];
  /** The item in the sentences: "testset". */
  kind: string;
  wanted: string;
  /** A sentence that is added where there is none. */
  remedy?: string;
}

/** Finds an item of a list by its id or its name. @throws AssayError with the nearest names. */
export const choose = <Item extends NamedItem>({ items, ...wanted }: Search<Item>): Item =>
  withAssayError(() => chooseNamed(items, wanted));

/** The same; undefined where there is none. @throws AssayError where several have the name. */
export const findNamed = <Item extends NamedItem>({
  items,
  ...wanted
}: Search<Item>): Item | undefined => withAssayError(() => findNamedItem(items, wanted));

function withAssayError<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    throw error instanceof LookupFailure ? new AssayError(error.message) : error;
  }
}
