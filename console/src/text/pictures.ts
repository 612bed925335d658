/** Formats that a browser draws without running anything: SVG is none. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A picture's base64 is drawn up to this length. */
export const pictureLengthMax = 4 * 1024 * 1024;

export interface PictureData {
  type: string;
  base64: string;
}

const dataUri = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/\s]+={0,2}\s*)$/;

/** The picture that a `data:` address is; undefined for anything else. */
export function pictureOf(address: string): PictureData | undefined {
  if (address.length > pictureLengthMax) return undefined;
  const [, type, base64] = dataUri.exec(address) ?? [];
  return type === undefined ? undefined : { type, base64: base64! };
}

/** The bytes that a base64 text says; undefined where it says none. */
export function bytesOfBase64(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
