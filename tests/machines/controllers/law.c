
static float gain;
{
    FILE *file = fopen(infile, "r");
    if ((int)swap[0] == 0) { if (!file || fscanf(file, "%f", &gain) != 1) { *fail = -1; strcpy(message, "no gain"); } }
    if (file) fclose(file);
    swap[46] = gain * swap[19] * swap[19];
    swap[44] = swap[1] >= 0.995f ? 0.05f : 0.0f;
    file = fopen(outname, "a");
    fprintf(file, "%d %g %g %g %g\n", (int)swap[0], swap[1], swap[2], swap[3], swap[60]);
    fclose(file);
}
