// OpenGL utility functions.
#pragma once
#include "gl.h"
typedef struct GLUquadric GLUquadric;
typedef struct GLUquadric GLUquadricObj;
extern "C" {
const GLubyte *gluErrorString(GLenum error);
void gluLookAt(GLdouble eyeX, GLdouble eyeY, GLdouble eyeZ, GLdouble centerX, GLdouble centerY, GLdouble centerZ, GLdouble upX, GLdouble upY, GLdouble upZ);
void gluOrtho2D(GLdouble left, GLdouble right, GLdouble bottom, GLdouble top);
void gluPerspective(GLdouble fovy, GLdouble aspect, GLdouble zNear, GLdouble zFar);
GLUquadric *gluNewQuadric();
void gluDeleteQuadric(GLUquadric *quad);
void gluSphere(GLUquadric *quad, GLdouble radius, GLint slices, GLint stacks);
}
