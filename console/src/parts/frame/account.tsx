import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { publicPath } from '../../api/public-path.ts';
import { signOut, useMe } from '../../api/session.ts';
import { Button } from '../button.tsx';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';
import styles from './account.module.css';

/** Who one is, the theme, help, and the way out. */
export function Account({ showHelp }: { showHelp: () => void }) {
  const { data: me } = useMe();
  const [theme, setTheme] = useState(chosenTheme);
  const navigate = useNavigate();
  if (!me) return <div className={styles.account} />;
  const { name, email } = me.member;
  return (
    <details className={styles.account}>
      <summary>
        <span className={styles.name}>{name ?? email}</span>
        <span className={styles.organization}>{me.organization.name}</span>
      </summary>
      <div className={styles.menu}>
        <p className={styles.role}>
          {email} · {me.role}
        </p>
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
        <Button kind="quiet" onClick={showHelp}>
          Shortcuts <kbd>?</kbd>
        </Button>
        <a href={`${publicPath}/docs/`}>Documentation</a>
        <Button kind="quiet" onClick={() => void signOut().then(() => navigate({ to: '/login' }))}>
          Sign out
        </Button>
      </div>
    </details>
  );
}
