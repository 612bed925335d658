/** Sends requests to services under a seal that a test made, or has seen on another request. */
export const createSender =
  (urls: () => Record<string, string>) =>
  (
    service: string,
    method: string,
    path: string,
    sealed: Record<string, string>,
    body?: string | Uint8Array,
    type = 'application/json',
  ): Promise<Response> =>
    fetch(`${urls()[service]}${path}`, {
      method,
      headers: {
        ...sealed,
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body: body as string }),
    });
