import { useState } from 'react';
import { Dialog } from '../dialog.tsx';
import {
  activeShortcuts,
  areSingleKeysOn,
  type Shortcut,
  shortcuts,
  switchSingleKeys,
} from '../shortcuts.ts';
import styles from './shortcut-help.module.css';

const isMac = navigator.userAgent.includes('Mac');

/** The shortcuts of the page that is shown. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const [areOn, setOn] = useState(areSingleKeysOn);
  const [names] = useState(activeShortcuts);
  const groups = Map.groupBy(names, (name) => shortcuts[name].group);
  return (
    <Dialog title="Shortcuts of this page" onClose={onClose}>
      {[...groups].map(([group, members]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl className={styles.keys}>
            {members.map((name) => (
              <div key={name}>
                <dt>
                  <Keys of={name} />
                </dt>
                <dd>{shortcuts[name].text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={areOn}
          onChange={({ target }) => {
            switchSingleKeys(target.checked);
            setOn(target.checked);
          }}
        />
        Shortcuts of a single key
      </label>
    </Dialog>
  );
}

/** Keys whose name on the table is not the one on the keyboard. */
const signs: Record<string, string> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** The keys of a shortcut, as a person reads them. */
export const Keys = ({ of: name }: { of: Shortcut }) =>
  shortcuts[name].keys.split(/[ +]/).map((key) => <kbd key={key}>{signs[key] ?? key}</kbd>);
