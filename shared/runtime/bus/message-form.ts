import { payloadPlan } from '@assay/contracts/body-shape';
import type { Question } from '@assay/contracts/define';
import type { Msg } from 'nats';
import type { z } from 'zod';
import { parseBody } from '../http/body.ts';
import { invalidFrom } from '../http/request.ts';
import { compileSerializer, replyBody } from '../http/serialize.ts';

/** How the messages of a schema are written and read. */
interface MessageForm {
  write: (value: unknown) => string;
  read: (message: Pick<Msg, 'json' | 'data'>) => unknown;
}

const plain: MessageForm = { write: JSON.stringify, read: (message) => message.json() };

const forms = new WeakMap<z.ZodType, MessageForm>();

/**
 * The form of messages of a schema. Those with payloads are written and read as bodies of requests
 * are, so that payloads keep every digit. Made once for each schema: a bus has thousands of
 * messages a second.
 */
export function messageForm(schema: z.ZodType): MessageForm {
  const known = forms.get(schema);
  if (known) return known;
  const form = makeForm(schema);
  forms.set(schema, form);
  return form;
}

function makeForm(schema: z.ZodType): MessageForm {
  const plan = payloadPlan(schema);
  if (!plan) return plain;
  const serialize = compileSerializer(schema);
  return {
    write: (value) => String(replyBody(serialize(value)) as string | Buffer),
    read: ({ data }) => parseBody(Buffer.from(data), plan),
  };
}

/** A message's payload, checked by its contract. */
export function readPayload(
  { payload }: { payload: Question['payload'] },
  message: Pick<Msg, 'json' | 'data'>,
): unknown {
  const result = payload.safeParse(messageForm(payload).read(message), { reportInput: true });
  if (!result.success) throw invalidFrom(result.error, '');
  return result.data;
}
