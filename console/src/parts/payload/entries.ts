import { pointerTo } from '../../text/pointer.ts';
import { type JsonNode, memberAt, scanMembers, stringOf } from './scan.ts';

/**
 * Conversations, as OpenAI and Anthropic write them: messages, the parts of a message's content,
 * calls of tools and their results. They are read from the bytes, so that each text keeps its place.
 */

/** A value of the payload. */
export interface Place {
  node: JsonNode;
  /** Leads to it; undefined where a name above it is too long to be kept. */
  pointer: string | undefined;
}

/** A field that the view has no form for. */
export interface Rest {
  name: string;
  node: JsonNode;
}

interface EntryBase extends Place {
  /** The names below it whose values are drawn by themselves. */
  drawn: string[];
  rest: Rest[];
}

export interface Message extends EntryBase {
  kind: 'message';
  role: string;
  content: Place | undefined;
  /** The content, where it is a list of parts. */
  parts: Entry[] | undefined;
  calls: Call[];
  /** The id of the call that it answers. */
  callId: string | undefined;
}

export interface Call extends EntryBase {
  kind: 'call';
  name: string;
  id: string | undefined;
  /** Its arguments: an object, or the JSON of one in a string. */
  given: Place | undefined;
}

export interface Result extends EntryBase {
  kind: 'result';
  callId: string | undefined;
  content: Place | undefined;
}

export interface TextPart extends EntryBase {
  kind: 'text';
  /** Such as `thinking`; undefined for a plain text. */
  name: string | undefined;
  text: Place;
}

export interface PicturePart extends EntryBase {
  kind: 'picture';
  /** An address, be it a `data:` one; or base64, whose type is said. */
  source: Place;
  type: string | undefined;
}

/** Something between the others that has a type of its own. */
export interface OtherPart extends EntryBase {
  kind: 'other';
}

export type Entry = Message | Call | Result | TextPart | PicturePart | OtherPart;

/** What is larger is no entry of a conversation, except for its pictures. */
const entryBytesMax = 4 * 1024 * 1024;
const fieldsMax = 50;
/** Parts of a message, and calls in it, that are read; with more it is shown as JSON. */
const partsMax = 50;
/** Names and ids are read up to this size. */
const nameBytesMax = 256;

type Fields = Map<string, Place>;

/** The entries of a list; undefined where it is no conversation. */
export function entriesOf(bytes: Uint8Array, places: Place[]): Entry[] | undefined {
  const entries: Entry[] = [];
  for (const place of places) {
    const entry = entryOf(bytes, place);
    if (!entry) return undefined;
    entries.push(entry);
  }
  return entries.some(({ kind }) => kind !== 'other') ? entries : undefined;
}

/** A message, part, call or result; undefined for anything else. */
export function entryOf(bytes: Uint8Array, place: Place): Entry | undefined {
  const fields = fieldsOf(bytes, place);
  if (!fields) return undefined;
  const type = textAt(bytes, fields.get('type'));
  const role = textAt(bytes, fields.get('role'));
  if (role !== undefined) return messageOf(bytes, place, { fields, role });
  const part =
    callOf(bytes, place, fields) ??
    resultOf(bytes, place, { fields, type }) ??
    pictureOf(bytes, place, { fields, type }) ??
    textPartOf(place, { fields, type });
  if (part || type === undefined) return part;
  return { kind: 'other', ...place, drawn: [], rest: [] };
}

function fieldsOf(bytes: Uint8Array, { node, pointer }: Place): Fields | undefined {
  if (node.kind !== 'object' || node.end - node.start > entryBytesMax) return undefined;
  const offsets = scanMembers(bytes, node, fieldsMax);
  if (offsets.length === fieldsMax) return undefined;
  const fields: Fields = new Map();
  for (const index of offsets.keys()) {
    const { key, value } = memberAt(bytes, node, offsets, index);
    const name = stringOf(bytes, key!).text;
    fields.set(name, {
      node: value,
      pointer: pointer === undefined ? undefined : pointerTo(pointer, name),
    });
  }
  return fields;
}

/** The members of a list; undefined where it is none, or too long. */
function itemsOf(bytes: Uint8Array, place: Place | undefined): Place[] | undefined {
  if (place?.node.kind !== 'array' || place.node.end - place.node.start > entryBytesMax)
    return undefined;
  const { node, pointer } = place;
  const offsets = scanMembers(bytes, node, partsMax + 1);
  if (offsets.length > partsMax) return undefined;
  return [...offsets.keys()].map((index) => ({
    node: memberAt(bytes, node, offsets, index).value,
    pointer: pointer === undefined ? undefined : pointerTo(pointer, String(index)),
  }));
}

const textAt = (bytes: Uint8Array, place: Place | undefined): string | undefined =>
  place?.node.kind === 'string'
    ? stringOf(bytes, place.node, { bytesMax: nameBytesMax }).text
    : undefined;

function presentAt(fields: Fields, name: string): Place | undefined {
  const place = fields.get(name);
  return place?.node.kind === 'null' ? undefined : place;
}

/** The fields that are not shown otherwise, without those that say nothing. */
const restOf = (fields: Fields, shown: string[]): Rest[] =>
  [...fields].flatMap(([name, { node }]) =>
    shown.includes(name) || node.kind === 'null' || node.end - node.start === '[]'.length
      ? []
      : [{ name, node }],
  );

function messageOf(
  bytes: Uint8Array,
  place: Place,
  { fields, role }: { fields: Fields; role: string },
): Message {
  const content = presentAt(fields, 'content');
  const items = itemsOf(bytes, content);
  const callId = textAt(bytes, fields.get('tool_call_id'));
  const calls = (itemsOf(bytes, fields.get('tool_calls')) ?? []).map((item) => {
    const found = fieldsOf(bytes, item);
    return found && callOf(bytes, item, found);
  });
  const areCalls = calls.length > 0 && calls.every((call) => call !== undefined);
  const shown = ['role', 'content', 'tool_call_id', ...(areCalls ? ['tool_calls'] : [])];
  if (textAt(bytes, fields.get('type')) === 'message') shown.push('type');
  return {
    kind: 'message',
    ...place,
    role,
    content,
    parts: items && entriesOf(bytes, items),
    calls: areCalls ? calls : [],
    callId,
    drawn: ['content'],
    rest: restOf(fields, shown),
  };
}

/** Types of calls; one without a type has nothing but its name, arguments and id. */
const callTypes = ['function', 'function_call', 'tool_use', 'tool_call', 'server_tool_use'];
const argumentNames = ['arguments', 'args'];

function callOf(bytes: Uint8Array, place: Place, fields: Fields): Call | undefined {
  const type = textAt(bytes, fields.get('type'));
  if (type !== undefined && !callTypes.includes(type)) return undefined;
  const inner = fields.get('function');
  const named = (inner && fieldsOf(bytes, inner)) ?? fields;
  const name = textAt(bytes, named.get('name'));
  const names = type?.endsWith('tool_use') ? ['input'] : argumentNames;
  const argumentsName = names.find((one) => named.has(one));
  if (name === undefined || argumentsName === undefined) return undefined;
  const shown = ['type', 'id', 'call_id', 'index', 'function', 'name', argumentsName];
  const rest = restOf(fields, shown);
  if (type === undefined && !inner && rest.length > 0) return undefined;
  return {
    kind: 'call',
    ...place,
    name,
    id: textAt(bytes, fields.get('call_id')) ?? textAt(bytes, fields.get('id')),
    given: named.get(argumentsName),
    drawn: [],
    rest,
  };
}

interface FieldsWithType {
  fields: Fields;
  type: string | undefined;
}

function resultOf(
  bytes: Uint8Array,
  place: Place,
  { fields, type }: FieldsWithType,
): Result | undefined {
  const [idName, contentName] =
    type === 'tool_result'
      ? ['tool_use_id', 'content']
      : type === 'function_call_output'
        ? ['call_id', 'output']
        : [];
  if (idName === undefined || contentName === undefined) return undefined;
  return {
    kind: 'result',
    ...place,
    callId: textAt(bytes, fields.get(idName)),
    content: presentAt(fields, contentName),
    drawn: [contentName],
    rest: restOf(fields, ['type', 'id', idName, contentName]),
  };
}

function pictureOf(
  bytes: Uint8Array,
  place: Place,
  { fields, type }: FieldsWithType,
): PicturePart | undefined {
  const found = sourceOf(bytes, { fields, type });
  if (found?.source?.node.kind !== 'string') return undefined;
  const shown = ['type', 'image_url', 'source'];
  const { source, mediaType } = found;
  return {
    kind: 'picture',
    ...place,
    source,
    type: mediaType,
    drawn: [],
    rest: restOf(fields, shown),
  };
}

/** Where a part has its picture, in the three forms that are in use. */
function sourceOf(
  bytes: Uint8Array,
  { fields, type }: FieldsWithType,
): { source: Place | undefined; mediaType?: string | undefined } | undefined {
  if (type === 'image_url' || type === 'input_image') {
    const address = fields.get('image_url');
    const inner = address && fieldsOf(bytes, address);
    return { source: inner ? inner.get('url') : address };
  }
  const source = type === 'image' ? fields.get('source') : undefined;
  const inner = source && fieldsOf(bytes, source);
  if (!inner) return undefined;
  return textAt(bytes, inner.get('type')) === 'base64'
    ? { source: inner.get('data'), mediaType: textAt(bytes, inner.get('media_type')) }
    : { source: inner.get('url') };
}

/** The field that has the text of a part, by its type. */
const textNames: Record<string, string> = {
  text: 'text',
  input_text: 'text',
  output_text: 'text',
  refusal: 'refusal',
  thinking: 'thinking',
};

function textPartOf(place: Place, { fields, type }: FieldsWithType): TextPart | undefined {
  const textName =
    type !== undefined && Object.hasOwn(textNames, type) ? textNames[type] : undefined;
  const text = textName === undefined ? undefined : fields.get(textName);
  if (textName === undefined || text?.node.kind !== 'string') return undefined;
  return {
    kind: 'text',
    ...place,
    name: textName === 'text' ? undefined : textName,
    text,
    drawn: [textName],
    rest: restOf(fields, ['type', textName]),
  };
}
