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
  const file: unknown = field.value;
  const id = useId();
  return (
    <Typography component="div" sx={{ mb: 2 }}>
      {/* The keyboard reaches the input in it. */}
      {/* biome-ignore lint/a11y/useValidAriaRole: without it, MUI makes the label a button */}
      <Button
        component="label"
        role={undefined}
        tabIndex={-1}
        variant="outlined"
        size="small"
        sx={{ mr: 1, '&:focus-within': { outline: '2px solid', outlineOffset: 2 } }}
      >
        {label}
        <input
          type="file"
          accept={accept}
          aria-invalid={fieldState.invalid}
          aria-describedby={id}
          ref={field.ref}
          onBlur={field.onBlur}
          onChange={({ target }) => field.onChange(target.files?.[0])}
          style={{ position: 'absolute', opacity: 0, width: 1, height: 1 }}
        />
      </Button>
      <span id={id}>
        {file instanceof File ? file.name : 'No file yet'}
        {fieldState.error && (
          <FormHelperText component="span" error sx={{ display: 'block' }}>
            Choose a file
          </FormHelperText>
        )}
      </span>
    </Typography>
  );
}
