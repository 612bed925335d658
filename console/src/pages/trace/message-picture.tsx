import { Picture } from '../../parts/payload/picture.tsx';
import { visible } from '../../text/format.ts';
import { pictureOf } from '../../text/pictures.ts';
import { Clipped } from './clipped.tsx';
import styles from './trace.module.css';

/** Characters of an address that are shown. */
const shownMax = 200;

/** A picture of a message: drawn where it came as data; one of another place stays a link, and is not loaded. */
export function MessagePicture({ address }: { address: string }) {
  const picture = pictureOf(address);
  if (picture)
    return (
      <Picture picture={picture}>
        <Clipped text={address} isCode />
      </Picture>
    );
  if (!/^https?:\/\//i.test(address)) return <Clipped text={address} isCode />;
  return (
    <p className={styles.text}>
      <a href={address} target="_blank" rel="noopener noreferrer">
        {visible(address.slice(0, shownMax))}
      </a>
    </p>
  );
}
