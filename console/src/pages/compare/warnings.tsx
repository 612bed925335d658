import styles from './compare.module.css';

/** Why to read a comparison, or one metric of it, with care. */
export const Warnings = ({
  warnings = [],
}: {
  warnings?: { code: string; message: string }[] | undefined;
}) =>
  warnings.map(({ code, message }) => (
    <p key={`${code} ${message}`} className={styles.warning}>
      ! {message}
    </p>
  ));
