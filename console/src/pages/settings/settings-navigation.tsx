import { Link } from '@tanstack/react-router';
import tabs from '../../parts/tabs.module.css';

/** The way from one part of the settings to another. */
export const SettingsNavigation = ({
  sections,
}: {
  sections: { name: string; title: string }[];
}) => (
  <nav aria-label="Settings" className={tabs.tabs}>
    {sections.map(({ name, title }) => (
      <Link
        key={name}
        to="/settings/$section"
        params={{ section: name }}
        className={tabs.tab}
        activeProps={{ className: tabs.current }}
      >
        {title}
      </Link>
    ))}
  </nav>
);
