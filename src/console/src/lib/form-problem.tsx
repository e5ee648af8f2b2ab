import Alert from '@mui/material/Alert';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFormState } from 'react-hook-form';

interface FormProblemProps {
  /** Why the last attempt to send the form failed. */
  readonly error: string | undefined;
}

/**
 * Why the form around it is not sent, where nothing of the form is covered. Each time the focus goes to the first field
 * that is marked, in the order in which they are shown, or else returns to the button, which loses it while it is loading.
 */
export function FormProblem({ error }: FormProblemProps): ReactNode {
  const { errors, isSubmitted, submitCount } = useFormState();
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const form = submitCount > 0 && shown.current?.closest('form');
    if (!form) return;
    const isLost = document.activeElement?.contains(form);
    const target = form.querySelector<HTMLElement>('[aria-invalid=true]') ?? (isLost && form.querySelector(submit));
    if (target instanceof HTMLElement) target.focus();
  }, [submitCount]);
  // With an error of the root, the form was sent: the other ones are explained by the problem.
  const isInvalid = isSubmitted && !errors.root && Object.keys(errors).length > 0;
  const problem = isInvalid ? 'Correct the marked fields.' : error;
  return (
    problem && (
      <div ref={shown}>
        <Alert ref={scrollTo} severity="error" sx={{ my: 2, whiteSpace: 'pre-line' }}>
          {problem}
        </Alert>
      </div>
    )
  );
}

const submit = '[type=submit]';

/** When it appears, and not again while someone edits. */
const scrollTo = (problem: HTMLElement | null) => problem?.scrollIntoView({ block: 'nearest' });
