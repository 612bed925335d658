import { JsonText, type Payload } from '@assay/contracts/payload';

/** The whole of a payload, which may have to be read. */
export async function bytesOf(payload: Payload): Promise<Uint8Array> {
  if (payload instanceof JsonText) return payload.bytes;
  const chunks: Uint8Array[] = [];
  for await (const chunk of payload.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
