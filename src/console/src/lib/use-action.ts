import { ApiError } from '@storefront-commerce/client';
import { useEffect, useRef, useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';

import { useSession } from '../session/session.ts';
import { changesOf } from './differences.ts';
import { messageOf, rejectedFields } from './errors.ts';
import { labelsOf } from './labels-of.ts';
import type { LabelOf } from './name-of-field.ts';

interface RunOptions<Input extends object> {
  /** The same for the same input, however often it is sent, until it has succeeded or is rejected. */
  readonly idempotencyKey: string;
  /** The fields of the input that were edited. The others may have been saved by another member meanwhile. */
  readonly edited: Partial<Input>;
}

/** A request that changes something, and what follows when it has succeeded. */
export interface ActionRequest<Input extends object, Outcome = unknown> {
  /** What its form begins with. */
  readonly input?: Partial<Input>;
  /**
   * Sends it.
   * @param labelOf of the form whose input it is
   */
  readonly run: (input: Input, options: RunOptions<Input>, labelOf: LabelOf) => Promise<Outcome>;
  /** What is said when it has succeeded. */
  readonly done: string | ((result: Outcome) => string);
  /** Called with the result when it has succeeded. */
  readonly onDone?: (result: Outcome) => void;
  /** The labels of inputs that its form may not show at the moment. */
  readonly hiddenLabelOf?: LabelOf | undefined;
}

interface ActionState<Input extends object> {
  /**
   * Returns the errors of its form, if it has not succeeded.
   * @param form whose input it is
   */
  readonly send: (input: Input, form: Element | undefined) => Promise<FormErrors | undefined>;
  readonly isSending: boolean;
  /** Why the last attempt failed. */
  readonly error: string | undefined;
}

/** What is wrong with a form, by the source of an input. */
type FormErrors = Readonly<Record<string, string | { readonly serverError: string }>>;

/** The keys of inputs whose outcome is unknown. */
export type UnknownOutcomes = Map<string, string>;

/** @param unknown those of the button, however often its form is opened */
export function useAction<Input extends object, Outcome>(
  { input: base = {}, run, done, onDone, hiddenLabelOf }: ActionRequest<Input, Outcome>,
  unknown: UnknownOutcomes,
): ActionState<Input> {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const currency = useSession()?.store.currency;
  const notify = useNotify();
  const refresh = useRefresh();
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);

  const send = async (input: Input, form: Element | undefined) => {
    setSending(true);
    setError(undefined);
    const shownLabelOf = labelsOf(form);
    const labelOf: LabelOf = (source) => shownLabelOf(source) ?? hiddenLabelOf?.(source);
    try {
      const options = { idempotencyKey: keyOf(unknown, input), edited: changesOf(base, input) };
      const result = await run(input, options, labelOf);
      unknown.clear();
      notify(typeof done === 'string' ? done : done(result), { type: 'success' });
      refresh();
      onDone?.(result);
      return undefined;
    } catch (failure) {
      // What is sent next may depend on what has changed since.
      if (isRejection(failure)) unknown.clear();
      const message = messageOf(failure, currency, labelOf);
      setError(message);
      // Who has left its form meanwhile would take it for done.
      if (!isThere.current) notify(message, { type: 'error' });
      return { ...rejectedFields(failure, currency, labelOf), ...unsaved };
    } finally {
      setSending(false);
    }
  };
  return { send, isSending, error };
}

/** Without an error of its own, the form would take a failed request for a successful one, and no longer warn. */
const unsaved = { root: { serverError: 'Not saved.' } };

/** Whether nothing was done, and will not be. */
const isRejection = (failure: unknown): boolean =>
  failure instanceof ApiError &&
  failure.status >= 400 &&
  failure.status < 500 &&
  failure.code !== 'idempotency_in_progress';

/** JSON knows nothing of a file. */
const propertiesOf = ({ name, size, lastModified }: File) => ({ name, size, lastModified });

function keyOf(unknown: UnknownOutcomes, input: object): string {
  const text = JSON.stringify(input, (_, value) => (value instanceof File ? propertiesOf(value) : value));
  const key = unknown.get(text) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  unknown.set(text, key);
  return key;
}
