import type { ReactNode } from 'react';
import { type TextInputProps, useSourceContext } from 'react-admin';
import { useFormContext } from 'react-hook-form';
import { TextInput } from './inputs.tsx';

/** The URL of an image. With another one, the size of the image is unknown. */
export function ImageUrlInput({ source, ...props }: TextInputProps): ReactNode {
  const { getSource } = useSourceContext();
  const { setValue } = useFormContext();
  const clearSize = () => {
    for (const side of ['width', 'height']) setValue(getSource(source.replace(/url$/, side)), null);
  };
  return <TextInput {...props} source={source} type="url" onChange={clearSize} />;
}
