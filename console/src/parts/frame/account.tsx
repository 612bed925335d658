import { Link, useNavigate } from '@tanstack/react-router';
import { CircleUser } from 'lucide-react';
import { useState } from 'react';
import { publicPath } from '../../api/public-path.ts';
import { signOut, useMe } from '../../api/session.ts';
import { Button } from '../button.tsx';
import { Popover } from '../popover.tsx';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';
import styles from './account.module.css';
import { forgetLastProject } from './frame-project.ts';

/** Who one is, the theme, help, and the way out. */
export function Account({ showHelp }: { showHelp: () => void }) {
  const { data: me } = useMe();
  const navigate = useNavigate();
  if (!me) return <div className={styles.place} />;
  const { name, email } = me.member;
  const leave = async () => {
    forgetLastProject();
    await signOut();
    await navigate({ to: '/login' });
  };
  return (
    <div className={styles.place}>
      <Popover
        label={
          <>
            <CircleUser aria-hidden size={16} strokeWidth={1.75} />
            <span className={styles.name}>{name ?? email}</span>
          </>
        }
        title={`Account: ${name ?? email}`}
        className={styles.account}
      >
        <div className={styles.menu}>
          <p className={styles.role}>
            {email} · {me.role}
          </p>
          <ThemeChoice />
          <Link to="/settings/$section" params={{ section: 'organization' }}>
            Settings
          </Link>
          <Button kind="quiet" onClick={showHelp}>
            Shortcuts <kbd>?</kbd>
          </Button>
          <a href={`${publicPath}/docs/`}>Documentation</a>
          <Button kind="quiet" onClick={() => void leave()}>
            Sign out
          </Button>
        </div>
      </Popover>
    </div>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <label className={styles.theme}>
      Theme
      <select
        value={theme}
        onChange={({ target }) => {
          chooseTheme(target.value as Theme);
          setTheme(target.value as Theme);
        }}
      >
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
