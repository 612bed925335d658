import { WireType } from '@bufbuild/protobuf/wire';
import { valueDepthMax } from '../limits.ts';
import type { Attributes, Value } from '../span.ts';
import { countValue, type Fields, type Reading, readFields, readMessage } from './messages.ts';

const { Varint, Bit64, LengthDelimited } = WireType;

/** The field that has the attributes of a span, an event, a resource …, read into `attributes`. */
export const attributesField = (
  reading: Reading,
  attributes: Attributes,
  depth = 0,
): Fields[number] => [LengthDelimited, () => readKeyValue(reading, attributes, depth)];

/** KeyValue: key 1, value 2. */
function readKeyValue(reading: Reading, attributes: Attributes, depth: number): void {
  countValue(reading);
  let key = '';
  let value: Value;
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [LengthDelimited, () => (key = reading.reader.string())],
      2: [LengthDelimited, () => (value = readValue(reading, depth))],
    }),
  );
  attributes.set(key, value);
}

/**
 * AnyValue: string 1, bool 2, int 3, double 4, array 5 (values 1), kvlist 6 (values 1), bytes 7. The
 * last one counts, as in every `oneof`.
 */
export function readValue(reading: Reading, depth: number): Value {
  const { reader } = reading;
  if (depth > valueDepthMax) {
    reading.tooDeep += 1;
    readMessage(reading, (end) => (reader.pos = end));
    return undefined;
  }
  let value: Value;
  const list = () => {
    const values: Value[] = [];
    value = values;
    const element = () => {
      countValue(reading);
      values.push(readValue(reading, depth + 1));
    };
    readMessage(reading, (end) =>
      readFields(reading, end, {
        1: [LengthDelimited, element],
      }),
    );
  };
  const map = () => {
    const entries: Attributes = new Map();
    value = entries;
    readMessage(reading, (end) =>
      readFields(reading, end, { 1: attributesField(reading, entries, depth + 1) }),
    );
  };
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [LengthDelimited, () => (value = reader.string())],
      2: [Varint, () => (value = reader.bool())],
      3: [Varint, () => (value = BigInt(reader.int64()))],
      4: [Bit64, () => (value = reader.double())],
      5: [LengthDelimited, list],
      6: [LengthDelimited, map],
      7: [LengthDelimited, () => (value = reader.bytes())],
    }),
  );
  return value;
}
