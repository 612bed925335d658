import { Link } from '@tanstack/react-router';
import { type LucideIcon, Settings } from 'lucide-react';
import styles from './navigation.module.css';
import { sectionIcons } from './section-icons.ts';
import { sectionGroups } from './sections.ts';

/** The way to each section of a project, and to the settings of the organization. */
export const Navigation = ({ projectId }: { projectId: string | undefined }) => (
  <nav aria-label="Sections" className={styles.navigation}>
    {projectId &&
      sectionGroups.map(({ name, sections }) => (
        <div key={name}>
          <p className={styles.group} id={`sections-${name}`}>
            {name}
          </p>
          <ul aria-labelledby={`sections-${name}`}>
            {sections.map(({ to, text, shortcut }) => (
              <li key={to}>
                <Link
                  to={to}
                  params={{ projectId }}
                  activeOptions={{ exact: to === '/projects/$projectId', includeSearch: false }}
                  className={styles.section}
                  title={text}
                >
                  <Sign Icon={sectionIcons[shortcut]} />
                  <span className={styles.text}>{text}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    <Link
      to="/settings/$section"
      params={{ section: 'organization' }}
      activeOptions={{ exact: false }}
      className={`${styles.section} ${styles.settings}`}
      title="Settings"
    >
      <Sign Icon={Settings} />
      <span className={styles.text}>Settings</span>
    </Link>
  </nav>
);

const Sign = ({ Icon }: { Icon: LucideIcon }) => <Icon aria-hidden size={16} strokeWidth={1.75} />;
