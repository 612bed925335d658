import { useEffect, useState } from 'react';
import type { Completion } from './completion.ts';
import {
  draftOf,
  type FilterLanguage,
  type Mistake,
  readDraft,
  textChange,
  textIn,
} from './language.ts';

/** How long after the last key the list follows the text that is written, in ms. */
const typingMs = 300;

/** Changes the filters in the URL: as a step that Back undoes, or in place of the last one. */
export type ChangeFilters<State> = (
  change: Partial<State>,
  options: { isReplacing: boolean },
) => void;

/** The text of a draft that the URL follows. Everything until the draft is entered is one step. */
interface FollowedText {
  /** The text that was searched before. */
  before: string;
  /** The texts that the URL was given and may still show: any other one is not the draft's. */
  followed: string[];
}

interface DraftOptions<State> {
  language: FilterLanguage<State>;
  /** False while names that the language has are still read. */
  areNamesRead: boolean;
  state: State;
  change: ChangeFilters<State>;
  /** The list follows the text while it is written; else it is searched when it is entered. */
  isFollowed: boolean;
}

/** The text in a filter bar, until it is a filter. */
export function useDraft<State>({
  language,
  areNamesRead,
  state,
  change,
  isFollowed,
}: DraftOptions<State>) {
  const [draft, setDraft] = useState('');
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const [text, setText] = useState<FollowedText>();
  const [isEntered, setIsEntered] = useState(false);
  const searched = textIn(language, state);
  const write = (written: string) => {
    setDraft(written);
    setMistakes([]);
    setIsEntered(false);
  };
  const follow = () => {
    const wanted = readDraft(language, state, draft).text || (text?.before ?? searched);
    if (wanted === searched) return;
    setText({ before: text?.before ?? searched, followed: [...(text?.followed ?? []), wanted] });
    change(textChange(language, wanted), { isReplacing: text !== undefined });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: Only what is written is followed.
  useEffect(() => {
    if (!isFollowed) return;
    const timer = setTimeout(follow, typingMs);
    return () => clearTimeout(timer);
  }, [draft]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Back, or a text from elsewhere.
  useEffect(() => {
    if (!text) return;
    const place = text.followed.lastIndexOf(searched);
    if (place >= 0) return setText({ ...text, followed: text.followed.slice(place) });
    setText(undefined);
    write('');
  }, [searched]);
  const put = (after: State) => {
    if (JSON.stringify(after) !== JSON.stringify(state))
      change(after as Partial<State>, { isReplacing: text !== undefined });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: As it is when the names are there.
  useEffect(() => {
    if (!isEntered || !areNamesRead) return;
    setIsEntered(false);
    const read = readDraft(language, state, draft);
    const rest = draftOf(draft, read.mistakes);
    put(read.state);
    setText(undefined);
    setDraft(rest.draft);
    setMistakes(rest.mistakes);
  }, [isEntered, areNamesRead]);
  return {
    draft,
    mistakes,
    write,
    /** The text in the URL is that of the draft, and shows there alone. */
    isTextInDraft: text !== undefined && draft !== '' && text.followed.includes(searched),
    /**
     * Puts in force what is written, once the names that it may have are known. What cannot be
     * understood stays, with its mistakes.
     */
    enter: () => setIsEntered(true),
    /** Puts a filter in force in place of the word that was completed. */
    complete: (after: Completion<State>['state'] & {}, rest: string) => {
      const wanted = readDraft(language, after, rest).text;
      put(text ? { ...after, ...textChange(language, wanted || text.before) } : after);
      setText(
        text && wanted !== '' ? { ...text, followed: [...text.followed, wanted] } : undefined,
      );
      write(rest);
    },
  };
}
