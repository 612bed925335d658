import { isObject } from '@assay/json/value';

type Members = Record<string, unknown>;

/** Members in which OpenAI, Anthropic and Gemini put the address or the data. */
const innerNames = ['image_url', 'source', 'inline_data', 'inlineData', 'file_data', 'fileData'];

/** Reads the address of a picture, or its data as a `data:` URL, of a part of a message. */
export function imageIn(part: Members): string | undefined {
  const type = String(part.type ?? part.block_type ?? '');
  const inner =
    innerNames.map((name) => objectAt(part, name)).find((members) => members !== undefined) ??
    imageObject(part);
  const isPicture =
    /^(?:input_)?image(?:[_-]url)?$/.test(type) ||
    part.modality === 'image' ||
    'image_url' in part ||
    (type === '' && isObject(part.image));
  for (const members of inner ? [inner, part] : [part]) {
    const mediaType = mediaTypeOf(members);
    if (mediaType === undefined ? !isPicture : !mediaType.startsWith('image/')) continue;
    const address = addressIn(members);
    if (address !== undefined) return address;
    const data = dataIn(members);
    if (data !== undefined) return urlOf(data, mediaType ?? 'image/png');
  }
  return undefined;
}

/** OpenInference has a picture as `image.image.url`, Bedrock as `image.source.bytes`. */
function imageObject(part: Members): Members | undefined {
  const image = objectAt(part, 'image');
  if (!image) return undefined;
  const source = objectAt(image, 'image') ?? objectAt(image, 'source');
  const format = typeof image.format === 'string' ? { mimeType: `image/${image.format}` } : {};
  return { ...image, ...source, ...format };
}

const mediaTypeOf = (members: Members): string | undefined =>
  firstText(members, ['media_type', 'mediaType', 'mime_type', 'mimeType', 'image_mimetype']);

const addressIn = (members: Members): string | undefined =>
  firstText(members, ['url', 'image_url', 'uri', 'file_uri', 'fileUri']);

const dataIn = (members: Members): string | undefined =>
  firstText(members, ['data', 'base64', 'bytes', 'image', 'content']);

/** Some clients write an address where others have the data. */
const urlOf = (data: string, mediaType: string): string =>
  /^(?:data:|https?:)/i.test(data) ? data : `data:${mediaType};base64,${data}`;

function firstText(members: Members, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = members[name];
    if (typeof found === 'string' && found !== '') return found;
  }
  return undefined;
}

function objectAt(members: Members, name: string): Members | undefined {
  const found = members[name];
  return isObject(found) ? found : undefined;
}
