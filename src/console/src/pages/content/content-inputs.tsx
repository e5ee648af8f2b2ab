import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { marked } from 'marked';
import { RichTextField, required } from 'react-admin';
import { useWatch } from 'react-hook-form';
import { choicesOf } from '../../lib/format.ts';
import { ImageUrlInput } from '../../lib/image-url-input.tsx';
import { SelectInput, TextArrayInput, TextInput } from '../../lib/inputs.tsx';
import { TimeInput } from '../../lib/time-input.tsx';

/** What the inputs mean: an image without a URL is none. */
export const withImage = <Input extends { readonly image?: { readonly url?: string } | null }>(input: Input): Input =>
  input.image?.url ? input : { ...input, image: null };

/** What can be edited of an entry, but for its type and slug. */
export function ContentInputs() {
  return (
    <>
      <TextInput source="title" label="Title" validate={required()} />
      <TextInput source="summary" label="Summary" multiline />
      <SelectInput source="body.format" label="Format" choices={choicesOf(['markdown', 'html', 'text'])} />
      <TextInput source="body.value" label="Text" multiline minRows={8} />
      <Preview />
      <TextInput source="author" label="Author" />
      <TextArrayInput source="tags" label="Tags" />
      <ImageUrlInput source="image.url" label="URL of the image" />
      <TextInput source="image.alt" label="Description of the image for screen readers" />
      <TimeInput source="published_at" label="Published at" helperText="Empty: a draft" />
      <TimeInput source="starts_at" label="Starts at" helperText="Announcements are shown from this time" />
      <TimeInput source="ends_at" label="Ends at" helperText="Announcements are shown until this time" />
    </>
  );
}

interface Written {
  readonly title?: string;
  readonly body?: { readonly format: string; readonly value: string };
}

/** The text as readers see it, without what could run. */
function Preview() {
  const { title, body } = useWatch<Written>() as Written;
  if (!body?.value) return null;
  return (
    <Box
      component="section"
      aria-label="Preview"
      sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 2, mb: 2, overflowWrap: 'anywhere' }}
    >
      <Typography variant="overline">Preview</Typography>
      <Typography variant="h6" component="p">
        {title}
      </Typography>
      {body.format === 'text' ? (
        <Typography sx={{ whiteSpace: 'pre-wrap' }}>{body.value}</Typography>
      ) : (
        <RichTextField
          source="html"
          record={{ id: 'preview', html: body.format === 'html' ? body.value : marked.parse(body.value) }}
        />
      )}
    </Box>
  );
}
