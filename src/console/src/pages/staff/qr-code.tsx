import Box from '@mui/material/Box';
import { QRCodeSVG } from 'qrcode.react';

/** A code for the camera of a phone, on white in dark mode, too. */
export function QrCode({ value, title }: { readonly value: string; readonly title: string }) {
  return (
    <Box sx={{ bgcolor: '#fff', display: 'inline-block', p: 2, mb: 2, borderRadius: 1, lineHeight: 0 }}>
      <QRCodeSVG value={value} title={title} size={192} />
    </Box>
  );
}
