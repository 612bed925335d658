import { publicPath } from '../../api/public-path.ts';
import { Button } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './settings.module.css';

/** A link that lets a person in, shown once, to be copied. */
export function OnceLink({
  title,
  link,
  expiresAt,
  onClose,
}: {
  title: string;
  link: string;
  expiresAt: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        Nothing was sent. Copy the link, and give it to them by a way that you both trust: whoever
        opens it first is signed in.
      </p>
      <div className={styles.secret}>
        <Snippet code={addressOf(link)} />
      </div>
      <p>
        It works once, and expires <Time at={expiresAt} />. It is not shown again, but you can make
        another at any time, which ends this one.
      </p>
      <Actions>
        <Button kind="main" onClick={onClose}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}

/** A server that does not know its address gives a path below that of the console. */
const addressOf = (link: string): string =>
  link.startsWith('/') ? `${location.origin}${publicPath}${link}` : link;
