import { signIn } from '../../api/session.ts';
import { Dialog } from '../dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Asks for a key over the page where a session ended in mid-work: what was typed stays. */
export const SignInAgain = ({ name }: { name: string }) => (
  <Dialog title="Sign in again">
    <p>
      The session of {name} has ended, or its key was revoked. What you have typed is still here.
    </p>
    <SignInForm signIn={signIn} />
  </Dialog>
);
