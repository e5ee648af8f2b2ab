import type { ReactNode } from 'react';
import {
  isRequired,
  PasswordInput as ReactAdminPasswordInput,
  SelectInput as ReactAdminSelectInput,
  TextArrayInput as ReactAdminTextArrayInput,
  TextInput as ReactAdminTextInput,
} from 'react-admin';

import { splitTexts } from './split-texts.ts';

/*
 * Inputs of react-admin, which says with an asterisk alone that one is required, and hides it from readers of the screen.
 */

/** For an input whose validators require a value: the attribute that readers of the screen know. */
export const requirementOf = (validate: unknown): { readonly 'aria-required'?: true } =>
  isRequired(validate) ? { 'aria-required': true } : {};

export function TextInput({ slotProps, ...props }: Parameters<typeof ReactAdminTextInput>[0]): ReactNode {
  const htmlInput = { ...requirementOf(props.validate), ...slotProps?.htmlInput };
  return <ReactAdminTextInput {...props} slotProps={{ ...slotProps, htmlInput }} />;
}

export function PasswordInput(props: Parameters<typeof ReactAdminPasswordInput>[0]): ReactNode {
  return <ReactAdminPasswordInput {...props} slotProps={{ htmlInput: requirementOf(props.validate) }} />;
}

export function SelectInput(props: Parameters<typeof ReactAdminSelectInput>[0]): ReactNode {
  return (
    <ReactAdminSelectInput {...props} slotProps={{ select: { SelectDisplayProps: requirementOf(props.validate) } }} />
  );
}

/** Texts that have no comma. One that was typed or pasted stands between two of them. */
export function TextArrayInput(props: Parameters<typeof ReactAdminTextArrayInput>[0]): ReactNode {
  return <ReactAdminTextArrayInput {...props} parse={splitTexts} />;
}
