import { Ellipsis, type LucideIcon } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Button } from './button.tsx';
import styles from './menu.module.css';
import { usePageActions } from './page-actions.ts';
import { Popover } from './popover.tsx';

/** Something that is done, by a button of a menu. */
export interface MenuItem {
  text: string;
  Icon?: LucideIcon;
  /** Its effect, where its name does not say all. */
  title?: string | undefined;
  isDangerous?: boolean;
  /** Why it cannot be done now. */
  problem?: string | undefined;
  run: () => void;
}

/** A button that shows a list of things to do; each closes it. */
export function Menu({
  label,
  title,
  isDisabled,
  ref,
  items,
  children,
}: {
  label: ReactNode;
  /** The name of the button where its label is a sign. */
  title?: string;
  isDisabled?: boolean;
  ref?: RefObject<HTMLButtonElement | null>;
  items: readonly MenuItem[];
  /** Follows the items, such as downloads. */
  children?: ReactNode;
}) {
  return (
    <Popover
      label={label}
      {...(title === undefined ? {} : { title })}
      {...(isDisabled === undefined ? {} : { isDisabled })}
      {...(ref ? { ref } : {})}
    >
      <ul className={styles.menu}>
        {items.map(({ text, Icon, title, isDangerous = false, problem, run }) => (
          <li key={text}>
            <Button
              kind={isDangerous ? 'danger' : 'quiet'}
              className={styles.item}
              title={title}
              disabled={problem !== undefined}
              onClick={({ currentTarget }) => {
                currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
                run();
              }}
            >
              {Icon && <Icon aria-hidden size={16} strokeWidth={1.75} />}
              {text}
            </Button>
            {problem && <small> {problem}</small>}
          </li>
        ))}
      </ul>
      {children}
    </Popover>
  );
}

/** The menu of a page's seldom actions, which the palette offers, too. */
export function MoreMenu({
  items,
  children,
}: {
  items: readonly MenuItem[];
  children?: ReactNode;
}) {
  usePageActions(items);
  return (
    <Menu label={<Ellipsis aria-hidden size={16} />} title="More" items={items}>
      {children}
    </Menu>
  );
}
