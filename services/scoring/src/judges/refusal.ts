const refusalName = 'Refusal';

/** Why a request was not made or its answer not taken; trying again would not help. */
export const refusal = (message: string): Error =>
  Object.assign(new Error(message), { name: refusalName });

export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.name === refusalName;
