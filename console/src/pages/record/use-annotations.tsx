import type { ReplyOf } from '@assay/client/operations';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useReading } from '../../api/query.ts';
import type { Piece } from '../../parts/payload/passage.ts';
import type { Passages, ShownPassage } from '../../parts/payload/passages.ts';

export type Annotation = ReplyOf<'GET', '/records/:recordId/annotations'>['data'][number];
export type PayloadField = NonNullable<Annotation['passage']>['payload'];

/** A text of a payload as it is drawn now. */
export interface DrawnText extends Piece {
  payload: PayloadField;
}

const route = getRouteApi('/frame/projects/$projectId/records/$recordId');

/** The annotations of a record, the one that is chosen, and the texts that can be annotated. */
export function useAnnotations(recordId: string) {
  const { annotation: chosenId } = route.useSearch();
  const { data, error } = useReading('/records/:recordId/annotations', { params: { recordId } });
  // The same one can be chosen again, once it is out of view.
  const [choices, setChoices] = useState(0);
  const choose = useCallback(() => setChoices((count) => count + 1), []);
  const texts = useRef(new Map<Element, DrawnText>());
  const annotations = data?.data;
  const passagesOf = usePassages({ annotations, chosenId, choices, choose, texts: texts.current });
  return { annotations: annotations ?? [], error, chosenId, choices, choose, texts, passagesOf };
}

/** The passages of each payload, the same objects until they change. */
function usePassages({
  annotations,
  chosenId,
  choices,
  choose,
  texts,
}: {
  annotations: Annotation[] | undefined;
  chosenId: string | undefined;
  choices: number;
  choose: () => void;
  texts: Map<Element, DrawnText>;
}): Record<PayloadField, Passages> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another choice makes other objects.
  return useMemo(() => {
    const passagesOf = (field: PayloadField): Passages => {
      const shown = (annotations ?? []).flatMap(({ id, passage }): ShownPassage[] =>
        passage?.payload === field ? [{ ...passage, id }] : [],
      );
      const chosen = shown.find(({ id }) => id === chosenId);
      return {
        shown,
        chosen: chosen && { ...chosen },
        linkOf: ({ id }, children) => (
          <AnnotationLink id={id} choose={choose}>
            {children}
          </AnnotationLink>
        ),
        know: (element, piece) => {
          texts.set(element, { ...piece, payload: field });
          return () => void texts.delete(element);
        },
      };
    };
    return {
      inputs: passagesOf('inputs'),
      outputs: passagesOf('outputs'),
      expected: passagesOf('expected'),
    };
  }, [annotations, chosenId, choices, choose, texts]);
}

/** Leads from a passage to its annotations, and back. */
export const AnnotationLink = ({
  id,
  choose,
  children,
}: {
  id: string;
  choose: () => void;
  children: React.ReactNode;
}) => (
  <Link
    from="/projects/$projectId/records/$recordId"
    search={(before) => ({ ...before, annotation: id })}
    replace
    resetScroll={false}
    draggable={false}
    data-annotation={id}
    onClick={choose}
  >
    {children}
  </Link>
);

/** Moves the focus to an element where a link to it was followed. */
export function useArrival(isChosen: boolean, choices: number) {
  const element = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Each time that it is chosen.
  useEffect(() => {
    const from = document.activeElement;
    if (!isChosen || element.current?.contains(from)) return;
    if (from?.matches('mark a')) element.current?.focus();
    element.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen, choices]);
  return element;
}
