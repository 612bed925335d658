import type { ReplyOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { reading, useChange } from '../../api/query.ts';
import { ApiError } from '../../api/request.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Actions } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { usePageTitle } from '../../parts/frame/page-title.ts';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { roleInWords } from '../../text/roles.ts';
import styles from './device.module.css';

const route = getRouteApi('/full-screen/device');

type DeviceLogin = ReplyOf<'GET', '/session/device/:userCode'>;

/** Where a member approves the login of a device, such as a command line. */
export function Device() {
  const { code } = route.useSearch();
  usePageTitle('Log a device in');
  return (
    <main id="main" className={styles.device}>
      <h1>Log a device in</h1>
      {code ? <Login key={code} code={code} /> : <CodeForm />}
    </main>
  );
}

/** The login that waits under a code, and what has become of it. */
function Login({ code }: { code: string }) {
  const params = { userCode: code };
  const { data, error, refetch } = useQuery({
    ...reading('/session/device/:userCode', { params }),
    // Each look at a wrong code counts, and a new one would take the form away in which one types.
    retry: false,
    refetchOnWindowFocus: false,
  });
  const approve = useChange('POST', '/session/device/:userCode/approve', {
    refreshes: ['/api-keys'],
  });
  const deny = useChange('POST', '/session/device/:userCode/deny');
  const answered = approve.data ?? deny.data;
  if (answered) return <Outcome login={answered} />;
  if (data)
    return (
      <>
        <Question login={data} />
        {(approve.error ?? deny.error) && <Problem error={(approve.error ?? deny.error)!} />}
        <Answers
          approve={() => approve.mutate({ params })}
          deny={() => deny.mutate({ params })}
          isBusy={approve.isPending || deny.isPending}
        />
      </>
    );
  if (!error) return <p role="status">Looking for the login …</p>;
  const isWrong = error instanceof ApiError && [400, 404].includes(error.status);
  return (
    <>
      <Problem error={error} {...(isWrong ? {} : { retry: () => void refetch() })} />
      <CodeForm />
    </>
  );
}

function Question({ login: { userCode, clientName, clientAddress, createdAt } }: LoginProps) {
  const me = useMe().data;
  return (
    <>
      <p>
        Approve this only if you have just begun the login yourself, and the device shows this code:
      </p>
      <p className={styles.code}>
        <output aria-label="Code">{userCode}</output>
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>Device</dt>
          <dd>
            {clientName} <span className={styles.soft}>as it calls itself, unverified</span>
          </dd>
        </div>
        <div>
          <dt>Asked</dt>
          <dd>
            <Time at={createdAt} />, from {clientAddress}
          </dd>
        </div>
        {me && (
          <div>
            <dt>Acts as</dt>
            <dd>
              {me.member.name ?? me.member.email} of {me.organization.name}.{' '}
              <span className={styles.soft}>{roleInWords(me.role)}.</span>
            </dd>
          </div>
        )}
      </dl>
      <p className={styles.soft}>
        Whoever has the device then acts in your name, until its key is revoked. If somebody sent
        you this code or the link to this page, deny it.
      </p>
    </>
  );
}

interface LoginProps {
  login: DeviceLogin;
}

function Answers({
  approve,
  deny,
  isBusy,
}: {
  approve: () => void;
  deny: () => void;
  isBusy: boolean;
}) {
  const me = useMe().data;
  const mayApprove = me !== undefined && (me.key === null || me.role === 'admin');
  return (
    <>
      {me && !mayApprove && (
        <p>
          You are signed in by a member's key, which gives no other keys: sign in by a link, or ask
          an admin.
        </p>
      )}
      <Actions>
        <Button isBusy={isBusy} onClick={deny}>
          Deny
        </Button>
        <Button kind="main" isBusy={isBusy} disabled={!mayApprove} onClick={approve}>
          Approve
        </Button>
      </Actions>
    </>
  );
}

const Outcome = ({ login: { clientName, state } }: LoginProps) =>
  state === 'approved' ? (
    <>
      <p role="status">
        Approved: {clientName} has its key in a few seconds. Continue there; you can close this
        page.
      </p>
      <p>
        An admin revokes the key in{' '}
        <Link to="/settings/$section" params={{ section: 'keys' }}>
          Settings, API keys
        </Link>
        .
      </p>
    </>
  ) : (
    <p role="status">Denied: {clientName} gets no key. You can close this page.</p>
  );

function CodeForm() {
  const navigate = route.useNavigate();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const typed = `${new FormData(event.currentTarget).get('code')}`;
        void navigate({ search: { code: typed.replaceAll(/\s/g, '').toUpperCase() } });
      }}
    >
      <Field
        label="Code"
        name="code"
        required
        autoComplete="off"
        placeholder="WDJB-MJHT"
        hint="The device that you log in shows it, such as your terminal after assay login."
      />
      <Actions>
        <Button kind="main" type="submit">
          Continue
        </Button>
      </Actions>
    </form>
  );
}
