import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';
import { required, useInput } from 'react-admin';

interface FileInputProps {
  readonly source: string;
  readonly label: string;
  readonly accept: string;
}

/** A file of the disk. The form has it as it is. */
export function FileInput({ source, label, accept }: FileInputProps): ReactNode {
  const { field, fieldState } = useInput<File | undefined>({ source, validate: required() });
  const id = useId();
  const file: unknown = field.value;
  return (
    <Typography component="div" sx={{ mb: 2 }}>
      <Button component="label" htmlFor={id} variant="outlined" size="small" sx={{ mr: 1 }}>
        {label}
      </Button>
      {file instanceof File ? file.name : 'No file yet'}
      <input
        id={id}
        type="file"
        accept={accept}
        ref={field.ref}
        onBlur={field.onBlur}
        onChange={({ target }) => field.onChange(target.files?.[0])}
        style={{ position: 'absolute', opacity: 0, width: 1, height: 1 }}
      />
      {fieldState.error && <FormHelperText error>Choose a file</FormHelperText>}
    </Typography>
  );
}
