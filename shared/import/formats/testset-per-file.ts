import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { Item, Reading } from '../item.ts';
import { readObjects } from '../reading/objects.ts';
import { stemOf } from '../source.ts';

/** An object of a file, which is one testset. */
interface Row {
  value: Fields;
  place: Place;
  fileName: string;
  /** A row of cells. */
  isTable: boolean;
}

/**
 * The reader of a format in which each file is a testset: an item of each object of these lists, of
 * each line or row. An object without an item is left out.
 */
export const testsetPerFile = (
  lists: readonly string[],
  itemOf: (row: Row, reading: Reading) => Item | undefined,
) =>
  async function* items(reading: Reading): AsyncGenerator<Item> {
    const { source, options, lose } = reading;
    for (const file of source.files) {
      const testset = { id: file.name, name: options.name ?? stemOf(file.name) };
      yield { place: { file: file.name }, testset };
      for await (const { value, place, isAround, isTable } of readObjects(file, lists, lose)) {
        if (isAround) continue;
        const row = { value, place, fileName: file.name, isTable };
        const item = itemOf(row, reading);
        if (item) yield { ...item, testset };
      }
    }
  };
